// The page as one text, made of the files in page/ when rw is built (embed_page.cmake).
#pragma once

#include <string_view>

namespace rw::editor {

/// HTML in which @NONCE@ stands for what scripts are allowed by.
std::string_view pageText();

} // namespace rw::editor
