autocmd BufRead,BufNewFile *.rw setfiletype rw
