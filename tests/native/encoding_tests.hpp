// Tests of encoding that need no Python: run by native_tests.cpp, under the sanitizers too.
#pragma once

#include "tests/native/prediction_tests.hpp"

void test_encoding(const char* isa, const Expect& expect);
