;;; rw-mode.el --- Patterns of graph rewrites in .rw files  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; Colours, comments and indentation for .rw files, and rw-lsp through Eglot (a part of Emacs 29, a package before):
;;
;;   (add-to-list 'load-path "/path/to/editor/emacs")
;;   (require 'rw-mode)
;;   (add-hook 'rw-mode-hook #'eglot-ensure)

;;; Code:

(defgroup rw nil
  "Patterns of graph rewrites."
  :group 'languages)

(defcustom rw-server-command '("rw-lsp")
  "The language server and its arguments."
  :type '(repeat string))

(defcustom rw-indent-offset 2
  "Columns of one level."
  :type 'integer)

(defvar rw-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (dolist (sign '(?+ ?- ?* ?% ?& ?| ?^ ?< ?> ?= ??))
      (modify-syntax-entry sign "." table))
    table)
  "Syntax of `rw-mode'.")

(defconst rw-font-lock-keywords
  `((,(concat "\\_<\\(dialect\\|op\\|fn\\|pattern\\|match\\|set\\|trait\\|constraint\\|rewrite\\|pass\\|pipeline\\|conversion\\|test\\)"
              "\\_>[ \t]+\\([A-Za-z_][A-Za-z0-9_{}]*\\)")
     (1 font-lock-keyword-face) (2 font-lock-function-name-face))
    (,(regexp-opt '("dialect" "import" "op" "fn" "pattern" "match" "set" "trait" "extern" "private" "constraint" "rewrite"
                    "pass" "pipeline" "conversion" "test" "expect" "versions" "attr" "traits" "require" "type" "fold" "means" "canonicalize"
                    "region" "where" "replace" "with" "update" "erase" "repeat" "if" "then" "else" "for" "in" "let" "and"
                    "or" "not" "is" "unchanged")
                  'symbols)
     . font-lock-keyword-face)
    (,(regexp-opt '("benefit" "fastmath" "recursive" "assume_same_type" "label" "const" "single" "ordered" "each") 'symbols)
     . font-lock-builtin-face)
    (,(regexp-opt '("true" "false" "none") 'symbols) . font-lock-constant-face)
    (,(regexp-opt '("tensor" "value" "int" "float" "bool" "string" "dtype" "dim" "i4" "i8" "i16" "i32" "i64" "u4" "u8" "u16"
                    "u32" "u64" "f16" "bf16" "f32" "f64" "c64" "c128" "str" "f8e4m3fn" "f8e4m3fnuz" "f8e5m2" "f8e5m2fnuz"
                    "f4e2m1")
                  'symbols)
     . font-lock-type-face)
    ("\\_<\\([a-z_][A-Za-z0-9_]*\\)[ \t]*=[^=>]" 1 font-lock-variable-name-face)
    ("\\_<\\([A-Za-z_][A-Za-z0-9_]*\\)[ \t]*[?*+]?(" 1 font-lock-function-name-face))
  "Colours of `rw-mode'.")

(defun rw-indent-line ()
  "Indent the line by the brackets that are open at its beginning."
  (interactive)
  (let ((depth (save-excursion
                 (beginning-of-line)
                 (let ((open (car (syntax-ppss))))
                   (skip-chars-forward " \t")
                   (if (memq (char-after) '(?\} ?\) ?\])) (max 0 (1- open)) open))))
        (behind (> (current-column) (current-indentation))))
    (if behind
        (save-excursion (indent-line-to (* rw-indent-offset depth)))
      (indent-line-to (* rw-indent-offset depth)))))

;;;###autoload
(define-derived-mode rw-mode prog-mode "rw"
  "Major mode for patterns of graph rewrites."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "///?[ \t]*")
  (setq-local indent-tabs-mode nil)
  (setq-local indent-line-function #'rw-indent-line)
  (setq-local font-lock-defaults '(rw-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.rw\\'" . rw-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons 'rw-mode (lambda (&rest _) rw-server-command))))

(provide 'rw-mode)
;;; rw-mode.el ends here
