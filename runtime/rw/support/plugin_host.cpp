// In the lowest part of rw, so that whatever is linked with rw has it: how a program tells plugins that bring a copy of
// rw along (rw/plugin/load_plugins.h).
extern "C" {
void rw_plugin_host();
void rw_plugin_host() {}
}
