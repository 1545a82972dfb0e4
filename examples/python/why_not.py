"""Why a pattern does not fire on a model: the ops it could start at, grouped by the condition that fails first.

    python3 why_not.py MODEL PATTERNS.rw PATTERN
"""
import collections
import sys

import rw


def main():
    model, file, pattern = sys.argv[1:]
    rules = rw.Rules(file)
    answers = rules.why_not(model, pattern, limit=100_000)
    matching = [answer for answer in answers if answer.matches]
    print(f"{pattern} could start at {len(answers)} ops and matches at {len(matching)}")
    for answer in matching[:3]:
        values = ", ".join(f"{name} = {bound.name if isinstance(bound, rw.Value) else bound}" for name, bound in answer.bound.items())
        print(f"  {answer.op}: {values}")
    failing = collections.defaultdict(list)
    for answer in answers:
        if not answer.matches and answer.reasons:
            failing[answer.reasons[0]["condition"]].append(answer.op)
    for condition, ops in sorted(failing.items(), key=lambda item: -len(item[1])):
        print(f"{len(ops)} x needs: {condition}")
        print(f"  such as {ops[0]}")


if __name__ == "__main__":
    main()
