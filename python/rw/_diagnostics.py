"""What went wrong, as data and as text."""
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional


@dataclass(frozen=True)
class Diagnostic:
    """One message of rw: an error, a warning, with its place where it has one. Lines and columns count from 1."""

    severity: str
    tag: str
    message: str
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    end_line: Optional[int] = None
    end_column: Optional[int] = None
    notes: List[Dict[str, Any]] = field(default_factory=list)
    fix_its: List[Dict[str, Any]] = field(default_factory=list)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        text = f"{place}: " if place else ""
        text += f"{self.severity}: {self.message} [{self.tag}]"
        cures = [fix["replacement"] for fix in self.fix_its if fix.get("length") and fix.get("replacement", "").strip() and "\n" not in fix["replacement"]]
        return "\n".join([text] + [f"  note: {note.get('message', '')}" for note in self.notes] + [f"  note: did you mean `{cure}`?" for cure in cures])


class Error(Exception):
    """A model, pattern file or name is wrong. `diagnostics` has all messages, `str(error)` shows them."""

    def __init__(self, diagnostics: List[Diagnostic]):
        self.diagnostics = diagnostics
        super().__init__("\n".join(str(d) for d in diagnostics if d.severity == "error"))

    def __reduce__(self) -> Any:
        """So that a pool of processes hands it over."""
        return (type(self), (self.diagnostics,))


class Stopped(Exception):
    """The run was stopped by its progress function."""
