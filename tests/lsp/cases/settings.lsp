!! {"initializationOptions": {"importDirs": ["$folder/1/include"]}}
== folders of imports
-- include/t/lib.rw on disk
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
-- a.rw
import "t/lib.rw";
import "t/$1";
pattern P { relu(relu(x)) => relu(x) }
>> diagnostics
2:8-12 error import-missing: `t/` is a folder: an import names a file
    as in `import "t/ops.rw";`
>> completion 1
t/lib.rw
>> notify workspace/didChangeConfiguration {"settings": {"rw": {"importDirs": []}}}
nothing
>> whole import "t/lib.rw";\n
1:8-18 error import-missing: there is no file `t/lib.rw` to import
    looked for t/lib.rw
    an import is searched in the folder of the importing file, then in the -I folders, then among the built-in files
