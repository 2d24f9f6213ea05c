/*
 * The SQL92 expressions of a subscription. Keywords are written in any case, names of properties are not. A NOT binds as tightly as a
 * sign does, so "NOT a = 1" is "(NOT a) = 1", as it is on stock brokers.
 */
grammar Sql92;

options { caseInsensitive = true; }

expression : condition EOF ;

condition : conjunction (OR conjunction)* ;

conjunction : equality (AND equality)* ;

equality : comparison equalityTail* ;

equalityTail
    : (EQUAL | UNEQUAL) comparison
    | IS NOT? NULL
    ;

comparison : unary comparisonTail* ;

comparisonTail
    : (LESS | AT_MOST | GREATER | AT_LEAST) unary
    | NOT? BETWEEN unary AND unary
    | NOT? IN OPEN TEXT (COMMA TEXT)* CLOSE
    | NOT? (CONTAINS | STARTSWITH | ENDSWITH) TEXT
    ;

unary
    : (PLUS | MINUS | NOT) unary
    | primary
    ;

primary
    : TRUE
    | FALSE
    | NULL
    | WHOLE
    | FRACTION
    | TEXT
    | NAME
    | OPEN condition CLOSE
    ;

AND : 'AND' ;
OR : 'OR' ;
NOT : 'NOT' ;
BETWEEN : 'BETWEEN' ;
IN : 'IN' ;
IS : 'IS' ;
NULL : 'NULL' ;
TRUE : 'TRUE' ;
FALSE : 'FALSE' ;
CONTAINS : 'CONTAINS' ;
STARTSWITH : 'STARTSWITH' ;
ENDSWITH : 'ENDSWITH' ;

EQUAL : '=' ;
UNEQUAL : '<>' ;
LESS : '<' ;
AT_MOST : '<=' ;
GREATER : '>' ;
AT_LEAST : '>=' ;
PLUS : '+' ;
MINUS : '-' ;
OPEN : '(' ;
CLOSE : ')' ;
COMMA : ',' ;

WHOLE : ('0' | [1-9] [0-9]*) 'L'? ;
FRACTION
    : [0-9]+ '.' [0-9]* EXPONENT?
    | '.' [0-9]+ EXPONENT?
    | [0-9]+ EXPONENT
    ;
fragment EXPONENT : 'E' [+-]? [0-9]+ ;

TEXT : '\'' ('\'\'' | ~['])* '\'' ;
NAME : [A-Z_$] [A-Z0-9_$]* ;

BLANKS : [ \t\n\r\f]+ -> skip ;
LINE_COMMENT : '--' ~[\r\n]* [\r\n] -> skip ;
BLOCK_COMMENT : '/*' .*? '*/' -> skip ;

UNCLOSED : '\'' ('\'\'' | ~['])* ;
OTHER : . ;
