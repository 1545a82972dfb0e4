# Writes OUT, the C++ of page_text.h: page/index.html with its style and scripts put in, which is all there is to the page.
# In:  -DPAGE (the folder), -DOUT.
file(READ "${PAGE}/index.html" page)
file(READ "${PAGE}/style.css" style)
set(script "")
foreach(name text layout graph editor app)
  file(READ "${PAGE}/${name}.js" part)
  string(APPEND script "${part}\n")
endforeach()
if(script MATCHES "</script" OR style MATCHES "</style")
  message(FATAL_ERROR "the page's scripts or styles would end their own element")
endif()
string(REPLACE "<!-- style -->" "<style>\n${style}</style>" page "${page}")
string(REPLACE "<!-- script -->" "<script nonce=\"@NONCE@\">\n'use strict';\n${script}</script>" page "${page}")
file(WRITE "${OUT}" "// Made of ${PAGE} by embed_page.cmake.
#include \"editor/playground/page_text.h\"

namespace rw::editor {
std::string_view pageText() {
  return R\"rw_page(${page})rw_page\";
}
} // namespace rw::editor
")
