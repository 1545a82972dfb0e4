// The .rw language. docs/language.md explains it; this is its shape.
//
// Written so that one token of look-ahead decides everywhere (but for `in` after `let`): ANTLR then generates plain switches, and
// parsing costs no prediction. Three things follow from it:
//   - Operators are listed flat here; frontend/parse/build_expr.cpp applies precedence.
//   - Where two forms begin alike (`x` and `axis = 1`), the rule takes both and the tree builder, which knows
//     what came first, checks that the left side is a name.
//   - Every part that is needed carries a label; the builder reads labels and ANTLR builds no parse tree
//     (frontend/parse/lean_parser.h).
// Names are IDENT: see RwLexer.g4 about contextual keywords.
parser grammar RwParser;

options { tokenVocab = RwLexer; superClass = LeanParser; }

@parser::postinclude {
#include "frontend/parse/lean_parser.h"
namespace rw::antlr { using parse::LeanParser; }
}

module : decls+=declaration* EOF ;

declaration
    : hidden=PRIVATE?
      ( dialect=dialectDecl
      | import_=importDecl
      | op=opDecl
      | fn=fnDecl
      | pattern=patternDecl
      | matcher=matchDecl
      | group=groupDecl
      | native=nativeDecl
      | pass=passDecl
      | pipeline=pipelineDecl
      | conversion=conversionDecl
      | test=testDecl
      | expect=expectDecl
      )
    ;

dialectDecl : DIALECT name=IDENT external=STRING? SEMI ;
importDecl : IMPORT path=STRING SEMI ;

// ---- ops ---------------------------------------------------------------------------------------------------------

// op concat(xs: tensor...) -> tensor { attr axis: int = 0; }
opDecl
    : OP name=IDENT version=versionRange? operands=params (ARROW results=result)?
      (SEMI | LBRACE clauses+=opClause* RBRACE)
    ;

// versions 1..12        versions 13..
versionRange : VERSIONS first=INT (dots=DOTDOT last=INT?)? ;

params : LPAREN (items+=param (COMMA items+=param)*)? RPAREN ;
// x: tensor   axes: tensor? as [int]   constant_value: tensor? as value: float = 0.0
param : name=IDENT COLON type=typeExpr (optional=QUESTION | variadic=ELLIPSIS)? (as=IDENT stands=typeExpr (COLON renamed=typeExpr)? (ASSIGN value=expression)?)? ;

// The results of an op: `tensor`, `(u: tensor, s: tensor)`, `tensor...`. The element of a tuple type is one, too, so that
// both can begin alike; the builder refuses names and arities where they have no meaning.
result : first=typeExpr (COLON type=typeExpr)? (optional=QUESTION | variadic=ELLIPSIS)? ;

opClause
    : kind=ATTR name=IDENT COLON (type=typeExpr | choices+=STRING (BAR choices+=STRING)*) optional=QUESTION? (ASSIGN value=expression)? SEMI
    | kind=TRAITS traits+=trait (COMMA traits+=trait)* SEMI
    | kind=REQUIRE value=expression (COMMA message=STRING)? SEMI
    | kind=TYPE types+=expression (COMMA types+=expression)* SEMI
    | kind=(FOLD | MEANS) value=expression (IF guard=expression)? SEMI
    | kind=CANONICALIZE patterns+=declaredName (COMMA patterns+=declaredName)* SEMI
    | kind=REGION regions+=IDENT (COMMA regions+=IDENT)* SEMI
    ;

trait : name=IDENT (LPAREN args+=IDENT (COMMA args+=IDENT)* RPAREN)? ;

qualifiedName : head=IDENT (DOT member=IDENT)? ;
// A pattern, pass or pipeline, with what its full name has in front.
declaredName : (spaces+=IDENT SCOPE)* name=qualifiedName ;

// ---- types -------------------------------------------------------------------------------------------------------

typeExpr
    : head=(IDENT | UNDERSCORE) (DOT member=IDENT)? dims=typeDims?      // f32[m, k]
    | open=LBRACK element=typeExpr RBRACK                                // [int]
    | open=LPAREN (elements+=result (COMMA elements+=result)*)? RPAREN   // (f32[2], f32[3])
    ;

typeDims : LBRACK (dims+=typeDim (COMMA dims+=typeDim)*)? RBRACK ;
typeDim : any=(UNDERSCORE | QUESTION) | rest=ELLIPSIS | value=expression rest=ELLIPSIS? ;

// ---- expressions -------------------------------------------------------------------------------------------------

// `if` and `let` reach as far right as they can, so inside an operator they need parentheses.
// A `let` without `in` is an item of `where` or a statement, and a range without end belongs into `[ ]`; elsewhere
// the builder reports them.
expression
    : open=IF cond=expression THEN yes=expression ELSE no=expression
    | open=LET names=binder ASSIGN value=expression (IN body=expression)?
    | first=condition (dots=DOTDOT last=condition?)?
    ;

binder : names+=IDENT | LPAREN names+=IDENT (COMMA names+=IDENT)* RPAREN ;

condition
    : operands+=comparand (ops+=(OR | AND | EQ | NE | LT | LE | GT | GE) operands+=comparand)*
    ;
comparand : nots+=NOT* value=arithmetic (is=IS pattern=matchExpr)? ;
arithmetic
    : operands+=operand (ops+=(CONCAT | BAR | CARET | AMP | SHL | SHR | PLUS | MINUS | STAR | SLASH | PERCENT) operands+=operand)*
    ;

operand
    : minus+=MINUS*
      ( atom=(INT | FLOAT | STRING | TRUE | FALSE | IDENT)
      | list=listExpr
      | tuple=tupleExpr
      )
      tails+=tail*
      (ARROW stated=typeExpr)?
    ;

tail
    : DOT member=IDENT
    | open=LBRACK (indexes+=index (COMMA indexes+=index)*)? RBRACK
    | open=LPAREN (args+=arg (COMMA args+=arg)*)? RPAREN
    ;

// p[i]   p[a..b]   p[a..]   p[..b]   p[..]
index : dots=DOTDOT end=condition? | begin=expression ;

// f(x, perm = p, each y, ys..., side => g(side), p[i] == i for i in r, _ = c, body = (a -> t, b) => (a, b))
arg
    : each=EACH value=expression
    | any=UNDERSCORE ASSIGN named=expression
    | value=expression
      ( spread=ELLIPSIS | ASSIGN named=expression (FATARROW body=expression)? | FATARROW side=expression | sources+=forIn+ (IF filter=expression)? )?
    ;

listExpr
    : LBRACK ( elements+=expression
               ( sources+=forIn+ (IF filter=expression)? | (COMMA elements+=expression)* )
             )? RBRACK
    ;

forIn : FOR names=binder IN source=expression ;

// One element is a parenthesized expression. Left of `=>` these are parameters of a region: `a -> x.type`, `rest... -> xs.type`.
tupleExpr : LPAREN (elements+=tupleElement (COMMA elements+=tupleElement)*)? RPAREN ;
tupleElement : value=expression (spread=ELLIPSIS (ARROW stated=typeExpr)?)? ;

fnDecl : FN name=IDENT args=params ARROW yields=typeExpr ASSIGN body=expression SEMI ;

// ---- patterns ----------------------------------------------------------------------------------------------------

patternDecl
    : templates+=forClause*
      PATTERN name=(IDENT | SPLICED_NAME) tags+=patternTag* LBRACE
        roots+=matchExpr (COMMA roots+=matchExpr)*
        (WHERE conditions+=expression (COMMA conditions+=expression)*)?
        arrow=FATARROW right=rightSide
      RBRACE
    ;

// for (f, g) in {(exp, log), (log, exp)}        for f in reductions
forClause : FOR names=binder IN (LBRACE entries+=expression (COMMA entries+=expression)* RBRACE | set=IDENT) ;

patternTag : kind=BENEFIT number=INT | kind=FASTMATH (LPAREN freedoms+=IDENT (COMMA freedoms+=IDENT)* RPAREN)? | kind=RECURSIVE | kind=ASSUME_SAME_TYPE | kind=LABEL text=STRING ;

// match transposed(x, perm) = transpose(x, perm = perm) | shuffle(x, order = perm) where is_permutation(perm, x.rank);
matchDecl : MATCH name=IDENT args=matchParams ASSIGN cases+=matchCase (CASE_BAR cases+=matchCase)* SEMI ;
// set reductions = {onnx.ReduceSum, onnx.ReduceMax};        set scales = {(onnx.Mul, false), (onnx.Div, true)};        trait movement;        trait movement for onnx.Transpose, views;
groupDecl
    : kind=SET name=IDENT ASSIGN LBRACE (entries+=setEntry (COMMA entries+=setEntry)*)? RBRACE SEMI
    | kind=TRAIT name=IDENT (given=FOR members+=qualifiedName (COMMA members+=qualifiedName)*)? SEMI
    ;

setEntry : op=qualifiedName | open=LPAREN values+=expression (COMMA values+=expression)* RPAREN ;

matchParams : LPAREN (items+=matchParam (COMMA items+=matchParam)*)? RPAREN ;
matchParam : name=IDENT (COLON type=typeExpr)? ;
matchCase : body=matchExpr (WHERE conditions+=expression (COMMA conditions+=expression)*)? ;

matchExpr
    : word=(SINGLE | ORDERED | EACH | CONST) inner=matchExpr
    | head=(IDENT | NOT | UNDERSCORE) (DOT member=IDENT)?
      ( COLON bound=matchExpr        // d: relu(x)
      | dims=typeDims            // f32[m, k]
      | call=matchCall (dot=DOT part=IDENT)?   // relu(x), svd(x).u
      )?
    | minus=MINUS? literal=(INT | FLOAT)
    | literal=(STRING | TRUE | FALSE)
    | open=LBRACK (elements+=matchArg (COMMA elements+=matchArg)*)? RBRACK
    | open=LPAREN (alternatives+=matchExpr ((BAR alternatives+=matchExpr)+ | firstRest=ELLIPSIS? (COMMA elements+=matchArg)*))? RPAREN
      (call=matchCall (dot=DOT part=IDENT)?)?
    ;

// relu(x)   convert?(x)   elementwise*(x)   elementwise+(x)   and, of an operand that may be left out, b?   (const b)?
matchCall
    : quantifier=(STAR | PLUS) open=LPAREN (args+=matchArg (COMMA args+=matchArg)*)? RPAREN
    | quantifier=QUESTION (open=LPAREN (args+=matchArg (COMMA args+=matchArg)*)? RPAREN)?
    | open=LPAREN (args+=matchArg (COMMA args+=matchArg)*)? RPAREN
    ;
// x   xs...   axis = a   axis = 0 | 1   _ = _   ..   body = b   body = (a, rest...) => (add(a, x), others...)
matchArg : rest=DOTDOT | value=matchExpr (spread=ELLIPSIS | ASSIGN attr=matchExpr (BAR others+=matchExpr)* (FATARROW results=matchExpr)?)? ;

rightSide : open=LBRACE statements+=statement? (SEMI statements+=statement?)* RBRACE | statements+=statement ;

statement
    : kind=REPLACE target=IDENT WITH value=expression
    | kind=UPDATE target=IDENT LBRACE (args+=arg (COMMA args+=arg)*)? RBRACE
    | kind=ERASE target=IDENT
    | value=expression
    ;

// ---- natives, passes, pipelines, tests ---------------------------------------------------------------------------

// extern rewrite pack(v: value) -> value;        constraint fits(c: attr) [{ … }]
// rewrite twice(x: value) -> value = relu(relu(x));        rewrite both(x: value) -> (a: value, b: value) { let y = relu(x); (y, neg(y)) }
nativeDecl
    : external=EXTERN? kind=(CONSTRAINT | REWRITE) name=IDENT args=params (ARROW results=result)?
      (SEMI | code=NATIVE | assign=ASSIGN value=expression SEMI | open=LBRACE statements+=statement? (SEMI statements+=statement?)* RBRACE)
    ;

passDecl
    : PASS name=IDENT
      ( ASSIGN members+=passMember (COMMA members+=passMember)* SEMI
      | open=LBRACE items+=passItem* RBRACE
      )
    ;
passMember : LABEL label=STRING | pattern=declaredName ;
passItem : first=passMember (ASSIGN value=expression | (COMMA others+=passMember)*) SEMI ;

pipelineDecl : PIPELINE name=IDENT ASSIGN stages+=stage (COMMA stages+=stage)* SEMI ;
stage
    : repeat=REPEAT LPAREN count=INT RPAREN LBRACE stages+=stage (COMMA stages+=stage)* RBRACE
    | pass=declaredName (LBRACE (options+=option (COMMA options+=option)*)? RBRACE)?
    ;
option : name=IDENT ASSIGN value=expression ;

// conversion stablehlo_to_onnx { from stablehlo, chlo; to onnx 17..24; legal tensor.call; patterns label "stablehlo_to_onnx", Extra; refuse c64, "why"; }
conversionDecl : CONVERSION name=IDENT LBRACE clauses+=conversionClause* RBRACE ;
conversionClause : word=IDENT items+=conversionItem (COMMA items+=conversionItem)* SEMI ;
conversionItem : text=STRING | member=passMember (first=INT (dots=DOTDOT last=INT?)?)? ;

testDecl
    : TEST name=IDENT args=params LBRACE before=expression FATARROW after=expression SEMI? RBRACE
    ;

// expect refuted Wrong, other::AlsoWrong;
expectDecl : EXPECT verdict=IDENT patterns+=declaredName (COMMA patterns+=declaredName)* SEMI ;
