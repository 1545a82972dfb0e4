# What ANTLR generates sets up its automaton when the program starts, whether or not anything is parsed: 2 ms of each start of
# rw-opt. This moves it to where the first lexer or parser is made. Nor is the automaton looked through for what it must be: it
# is as ANTLR wrote it, and that was nearly half of setting it up.
#   cmake -DNAME=RwParser -DFILE=RwParser.cpp -P lazy_atn.cmake
file(READ "${FILE}" text)
function(replace from to)
  string(FIND "${text}" "${from}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "lazy_atn.cmake: `${from}` is not in ${FILE}: this version of ANTLR writes it in another way")
  endif()
  string(REPLACE "${from}" "${to}" text "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()
replace("${NAME}::Initializer ${NAME}::_init;" "")
replace("  _interpreter = new atn::" "  static Initializer once;\n  _interpreter = new atn::")
replace("atn::ATNDeserializer deserializer;"
        "atn::ATNDeserializationOptions options;\n  options.setVerifyATN(false);\n  atn::ATNDeserializer deserializer(options);")
file(WRITE "${FILE}" "${text}")
