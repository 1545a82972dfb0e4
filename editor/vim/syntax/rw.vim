" Colours for .rw files, patterns of graph rewrites.
if exists('b:current_syntax')
  finish
endif

syntax include @rwCpp syntax/cpp.vim
unlet! b:current_syntax

syntax keyword rwDeclaration dialect import op fn pattern match set trait extern private constraint rewrite pass pipeline conversion test expect
syntax keyword rwClause versions attr traits require type fold means canonicalize region
syntax keyword rwModifier benefit fastmath recursive assume_same_type label const single ordered each
syntax keyword rwControl where replace with update erase repeat if then else for in let is and or not unchanged
syntax keyword rwConstant true false none
syntax keyword rwType tensor value int float bool string dtype dim
syntax match rwType /\<\%([iu]\%(4\|8\|16\|32\|64\)\|f\%(16\|32\|64\)\|bf16\|c64\|c128\|str\|f8e4m3fn\%(uz\)\?\|f8e5m2\%(fnuz\)\?\|f4e2m1\)\>/
syntax match rwNumber /\<\%(0x\x\+\|\d\+\%(\.\d\+\)\?\%([eE][+-]\?\d\+\)\?\)\>/
syntax match rwMember /\.\@<=\h\w*/
syntax match rwCall /\<\h\w*\ze\s*[?*+]\?(/
syntax match rwArrow /=>\|->/
syntax match rwName /\%(\<\%(op\|fn\|pattern\|match\|set\|trait\|constraint\|rewrite\|pass\|pipeline\|conversion\|test\|dialect\)\s\+\)\@<=\h[A-Za-z0-9_{}]*/
syntax region rwString start=/"/ skip=/\\./ end=/"\|$/
syntax match rwComment /\/\/.*$/ contains=@Spell
syntax match rwDoc /\/\/\/.*$/ contains=@Spell
syntax region rwNative matchgroup=rwBracket start=/\[{/ end=/}\]/ contains=@rwCpp

highlight default link rwDeclaration Keyword
highlight default link rwClause Keyword
highlight default link rwModifier StorageClass
highlight default link rwControl Statement
highlight default link rwConstant Constant
highlight default link rwType Type
highlight default link rwNumber Number
highlight default link rwMember Identifier
highlight default link rwCall Function
highlight default link rwArrow Operator
highlight default link rwName Function
highlight default link rwString String
highlight default link rwComment Comment
highlight default link rwDoc SpecialComment
highlight default link rwBracket Special

let b:current_syntax = 'rw'
