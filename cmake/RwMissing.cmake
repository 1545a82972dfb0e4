# Stops the configuration with the Debian package that mends it.
function(rw_missing what package)
  message(FATAL_ERROR "rw: ${what} was not found.\n"
    "On Debian: apt-get install ${package}\n"
    "tools/setup installs everything that is missing.")
endfunction()
