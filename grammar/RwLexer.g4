// The words of the .rw language.
//
// Every character of a text belongs to some token: the rules at the end catch what is wrong, so that
// frontend/parse reports it in its own words and goes on.
//
// Keywords are contextual. This grammar makes a keyword of every word that can be one; frontend/parse/keywords.cpp then
// turns those that do not stand where the keyword has its meaning into IDENT. RwParser.g4 relies on it, and so an
// op, operand or attribute may be called `while`, `is`, `label` or `type`.
lexer grammar RwLexer;

// Between the cases of a named match (keywords.cpp tells it from the `|` of numbers).
tokens { CASE_BAR }

// Declarations
DIALECT: 'dialect';
IMPORT: 'import';
OP: 'op';
FN: 'fn';
PATTERN: 'pattern';
MATCH: 'match';
SET: 'set';
TRAIT: 'trait';
EXTERN: 'extern';
PRIVATE: 'private';
CONSTRAINT: 'constraint';
REWRITE: 'rewrite';
PASS: 'pass';
PIPELINE: 'pipeline';
CONVERSION: 'conversion';
TEST: 'test';
EXPECT: 'expect';

// Clauses of an op
VERSIONS: 'versions';
ATTR: 'attr';
TRAITS: 'traits';
REQUIRE: 'require';
TYPE: 'type';
FOLD: 'fold';
MEANS: 'means';
CANONICALIZE: 'canonicalize';
REGION: 'region';

// Patterns, passes and pipelines
BENEFIT: 'benefit';
FASTMATH: 'fastmath';
RECURSIVE: 'recursive';
ASSUME_SAME_TYPE: 'assume_same_type';
LABEL: 'label';
WHERE: 'where';
REPLACE: 'replace';
WITH: 'with';
UPDATE: 'update';
ERASE: 'erase';
CONST: 'const';
SINGLE: 'single';
ORDERED: 'ordered';
EACH: 'each';
REPEAT: 'repeat';

// Expressions
IF: 'if';
THEN: 'then';
ELSE: 'else';
FOR: 'for';
IN: 'in';
LET: 'let';
AND: 'and';
OR: 'or';
NOT: 'not';
IS: 'is';
TRUE: 'true';
FALSE: 'false';

UNDERSCORE: '_';
IDENT: Letter (Letter | Digit)*;
// `Cancel_{f}_{g}`, one word with the names of template variables in braces. Only after `pattern`; elsewhere
// keywords.cpp takes it apart.
SPLICED_NAME: Letter (Letter | Digit)* ('{' Letter (Letter | Digit)* '}' (Letter | Digit)*)+;

INT: Digit+ | '0' [xX] [0-9a-fA-F]+;
FLOAT: Digit+ '.' Digit+ Exponent? | Digit+ Exponent;
STRING: '"' StringChar* '"';
// C++ code, up to the first `}]`.
NATIVE: '[{' (~'}' | '}'+ ~[}\]])* '}'+ ']';

LPAREN: '(';
RPAREN: ')';
LBRACK: '[';
RBRACK: ']';
LBRACE: '{';
RBRACE: '}';
COMMA: ',';
SEMI: ';';
SCOPE: '::';
COLON: ':';
QUESTION: '?';
BAR: '|';
ASSIGN: '=';
FATARROW: '=>';
ARROW: '->';
ELLIPSIS: '...';
DOTDOT: '..';
DOT: '.';
EQ: '==';
NE: '!=';
SHL: '<<';
SHR: '>>';
LE: '<=';
GE: '>=';
LT: '<';
GT: '>';
CONCAT: '++';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
AMP: '&';
CARET: '^';
PERCENT: '%';

// `///` documents the declaration or attribute that follows; four or more slashes are an ordinary comment.
DOC_COMMENT: '///' (~[/\r\n] ~[\r\n]*)? -> channel(HIDDEN);
LINE_COMMENT: '//' ~[\r\n]* -> channel(HIDDEN);
BLOCK_COMMENT: '/*' (~'*' | '*'+ ~[*/])* '*'+ '/' -> channel(HIDDEN);
SPACE: [ \t\r\n]+ -> skip;

// What is wrong.
WRONG_AND: '&&';
WRONG_OR: '||';
WRONG_NOT: '!';
SINGLE_QUOTED: '\'' (~['\\\r\n] | '\\' ~[\r\n])* '\'';
BAD_NUMBER: Digit+ ('.' Digit+)? Letter (Letter | Digit)*;
UNCLOSED_STRING: '"' StringChar* '\\'?;
UNCLOSED_NATIVE: '[{' (~'}' | '}'+ ~[}\]])* '}'*;
UNCLOSED_COMMENT: '/*' (~'*' | '*'+ ~[*/])* '*'*;
BAD_CHARACTER: .;

fragment Letter: [A-Za-z_];
fragment Digit: [0-9];
fragment Exponent: [eE] [+-]? Digit+;
fragment StringChar: ~["\\\r\n] | '\\' ~[\r\n];
