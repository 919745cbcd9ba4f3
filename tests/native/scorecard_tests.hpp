// Tests of the search for scorecards that need no Python: run by native_tests.cpp, under the sanitizers too.
#pragma once

#include <functional>
#include <string>

using Expect = std::function<void(bool, const std::string&)>;

// `golden` is tests/golden/scorecards.txt.
void test_scorecards(const std::string& golden, const Expect& expect);
