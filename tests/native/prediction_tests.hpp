// Tests of compiled clauses that need no Python: run by native_tests.cpp, under the sanitizers too.
#pragma once

#include <functional>
#include <string>

using Expect = std::function<void(bool, const std::string&)>;

void test_prediction(const char* isa, const Expect& expect);
void test_prediction_bounds(const Expect& expect);
