# Compile the core for macOS on ARM with the C++ compiler in zig (PyPI: ziglang). What comes out cannot run here.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(CMAKE_CXX_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../.venv/bin/python-zig)
set(CMAKE_CXX_COMPILER_ARG1 "c++ -target aarch64-macos.11.0")
set(CMAKE_CXX_COMPILER_AR llvm-ar)
set(CMAKE_AR llvm-ar)
set(CMAKE_RANLIB llvm-ranlib)
