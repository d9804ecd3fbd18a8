;;; InfraLens in Emacs 29 or later. In a course, this is the file `.dir-locals.el`; start the server with `M-x eglot`.
((nil . ((eval . (with-eval-after-load 'eglot
                   (add-to-list 'eglot-server-programs
                                '((markdown-mode markdown-ts-mode gfm-mode yaml-mode yaml-ts-mode)
                                  . ("infralens" "lsp"))))))))
