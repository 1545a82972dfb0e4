!! {"capabilities": {"general": {"positionEncodings": ["utf-16", "utf-8"]}}}
== columns are bytes if the client offers that
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
pattern Q { relu(x) where "ä𝄞" == "𝄞", $1nobody(x) => x }
>> diagnostics
3:47-53 error undefined-function: no function named `nobody`
>> hover 1
nothing
>> replace 1 1 no
3:47-55 error undefined-function: no function named `nonobody`
