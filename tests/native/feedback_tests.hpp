// Tests of core/feedback.hpp: run by native_tests.cpp.
#pragma once

#include <functional>
#include <string>

using Expect = std::function<void(bool, const std::string&)>;

void test_feedback(const Expect& expect);
