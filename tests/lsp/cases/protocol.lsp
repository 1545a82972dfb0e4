== methods that there are not, and wrong parameters
-- a.rw
dialect t;
>> raw {"jsonrpc": "2.0", "id": 900, "method": "textDocument/nothing", "params": {}}
| {"code": -32601, "message": "no method `textDocument/nothing`"}
>> raw {"jsonrpc": "2.0", "id": 901, "method": "textDocument/hover", "params": {}}
| {"code": -32602, "message": "`textDocument.uri` is missing"}
>> raw {"jsonrpc": "2.0", "id": 902, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///not/open.rw"}, "position": {"line": 0, "character": 0}}}
| {"code": -32602, "message": "the document is not open: /not/open.rw"}
>> raw {"jsonrpc": "2.0", "id": 903, "method": "textDocument/hover", "params": [1, 2]}
| {"code": -32602, "message": "`textDocument.uri` is missing"}
>> raw {"jsonrpc": "2.0", "id": "a text", "method": "textDocument/hover", "params": {"textDocument": {"uri": "$uri"}, "position": {"line": 4000000000, "character": -7}}}
| null
>> raw {"jsonrpc": "2.0", "id": 904, "method": "textDocument/hover", "params": {"textDocument": {"uri": "$uri"}, "position": {"line": "x", "character": 1e300}}}
| null
>> raw {"jsonrpc": "2.0", "id": 905, "method": "initialize", "params": {}}
| {"code": -32600, "message": "`initialize` comes once"}
>> raw {"jsonrpc": "2.0", "id": 906, "method": "completionItem/resolve", "params": {"label": "x", "data": {"key": 7, "uri": "$uri"}}}
| {"data": {"key": 7, "uri": "file://a.rw"}, "label": "x"}
>> raw {"jsonrpc": "2.0", "id": 907, "method": "callHierarchy/incomingCalls", "params": null}
| []
>> raw {"jsonrpc": "2.0", "id": 908, "method": "callHierarchy/outgoingCalls", "params": {"item": {"uri": 5}}}
| []
>> raw {"jsonrpc": "2.0", "id": 909, "method": "textDocument/selectionRange", "params": {"textDocument": {"uri": "$uri"}, "positions": 3}}
| [{"parent": {"parent": {"range": {"end": {"character": 0, "line": 1}, "start": {"character": 0, "line": 0}}}, "range": {"end": {"character": 10, "line": 0}, "start": {"character": 0, "line": 0}}}, "range": {"end": {"character": 7, "line": 0}, "start": {"character": 0, "line": 0}}}]
>> raw {"jsonrpc": "2.0", "id": 910, "method": "textDocument/rename", "params": {"textDocument": {"uri": "$uri"}, "position": {"line": 0, "character": 9}}}
| {"code": -32803, "message": "`t` is no name that a file declares for itself"}

== messages that are none
-- a.rw
dialect t;
>> raw this is not JSON
| {"code": -32700, "message": "the message is not JSON"}
>> raw [1, 2, 3]
| {"code": -32600, "message": "a message is an object with a `method`"}
>> raw {"id": 17}
| {"code": -32600, "message": "a message is an object with a `method`"}
>> raw {"id": 18, "method": 5}
| {"code": -32600, "message": "a message is an object with a `method`"}
>> raw "text"
| {"code": -32600, "message": "a message is an object with a `method`"}
>> bytes Content-Length: 12x\r\n\r\n
| {"code": -32700, "message": "a message begins with `Content-Length: N` and an empty line"}
>> bytes Content-Length: 99999999999\r\n\r\n
| {"code": -32700, "message": "a message begins with `Content-Length: N` and an empty line"}
