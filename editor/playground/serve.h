// rw-opt --serve: the playground's page, for whoever sits at this machine.
//
// In:  what the command line said.
// Out: a page on the loopback interface until Ctrl-C; its address on standard output. The exit status.
// Elsewhere: HTTP itself is editor/http, what the page asks playground.h, the page page/.
//
// Requests are untrusted. Web sites that a browser shows at the same time can send some here, so a request must name
// this machine as its host, come from this page, and hold the token that stands behind the `#` of the address, which
// other users of the machine do not know.
//
//   return servePlayground({.port = 8080, .model = "model.onnx"}, registry);
#pragma once

#include "rw/opt/opt_main.h"

namespace rw::editor {

int servePlayground(const ServeOptions &, const Registry &);

} // namespace rw::editor
