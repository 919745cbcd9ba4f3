#!/usr/bin/env bash
# The tests of the core, golden fingerprints among them, built as on other platforms: Clang with libc++ (the library of
# macOS), Windows (MinGW, run by wine), and macOS on ARM (zig, compiled and linked, not run). ARM itself: make test-arm.
# Debian: clang libc++-dev libc++abi-dev g++-mingw-w64-x86-64-posix wine wine64
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$PWD/.venv/bin

build() {  # build NAME [cmake option ...]: the tests in build/NAME
  name=$1
  shift
  "$bin/cmake" -S . -B "build/$name" -G Ninja -DCMAKE_MAKE_PROGRAM="$bin/ninja" -DCLAUSAL_PYTHON=OFF \
    -DCLAUSAL_NATIVE_TESTS=ON -DCLAUSAL_WERROR=ON "$@" > /dev/null
  "$bin/cmake" --build "build/$name" --target native_tests > "build/$name.log" || { cat "build/$name.log"; exit 1; }
}

echo "== Clang with libc++"
build libcxx -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-stdlib=libc++
build/libcxx/native_tests tests/golden/fingerprints.txt

echo "== Windows: MinGW, run by wine"
build windows -DCMAKE_TOOLCHAIN_FILE=tools/windows.cmake
WINEDEBUG=-all WINEPREFIX=$PWD/build/wine wine build/windows/native_tests.exe tests/golden/fingerprints.txt

echo "== macOS on ARM: zig, not run"
build macos -DCMAKE_TOOLCHAIN_FILE=tools/macos.cmake
file build/macos/native_tests
