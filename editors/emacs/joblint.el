;;; joblint.el --- joblint for Eglot -*- lexical-binding: t; -*-

;; Emacs 29 and later, or Emacs 28 with the package `eglot': load this file, then `M-x eglot' in a YAML buffer, or add
;; `eglot-ensure' to the hook of the mode.

;;; Code:

(require 'eglot)

(add-to-list 'eglot-server-programs '((yaml-mode yaml-ts-mode helm-mode) . ("joblint" "server")))

(provide 'joblint)
;;; joblint.el ends here
