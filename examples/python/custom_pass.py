"""A pass of one's own: weights that hardly count become 0, where most of a product's weights would.

    python3 custom_pass.py IN.onnx OUT.onnx
"""
import sys

import rw


class PruneWeights(rw.Pass):
    """Sets the weights of matrix products to 0 that are small beside the largest one."""

    def __init__(self, share=0.01):
        self.share = share
        self.pruned = {}

    def run(self, function):
        for op in function.walk("onnx.MatMul", "onnx.Gemm"):
            weights = op.operands[1]
            if not weights.is_constant or weights.dtype != "f32":
                continue
            numbers = weights.elements()
            least = self.share * max(abs(number) for number in numbers)
            kept = [number if abs(number) >= least else 0.0 for number in numbers]
            zeros = kept.count(0.0) - numbers.count(0.0)
            if zeros:
                op.set_operand(1, function.constant(kept, "f32", weights.shape, before=op))
                self.pruned[op.label or op.result.name] = zeros / len(numbers)


def main():
    source, target = sys.argv[1:]
    prune = PruneWeights()
    # The pass has its place among others: what nobody uses any more goes behind it.
    rw.optimize(source, passes=[prune], pipeline="onnx,prune_weights,dce").save(target)
    print(f"{len(prune.pruned)} products have fewer weights")
    for name, share in list(prune.pruned.items())[:3]:
        print(f"  {name}: {share:.1%} of them are 0 now")


if __name__ == "__main__":
    main()
