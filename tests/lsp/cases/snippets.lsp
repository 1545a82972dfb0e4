!! {"capabilities": {"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}}}
== whole declarations, if the client takes snippets
-- a.rw
pat$1
>> completion 1
pattern
>> item 1 pattern
pattern (15)
inserts "pattern ${1:Name} {\n  ${2:relu(relu(x))}\n  where ${3:x.rank > 0}\n  => ${4:relu(x)}\n}"
| `pattern NAME { left side where conditions => right side }`: a rewrite.
>> item 1 private
private (14)
| Only this file sees what follows.
