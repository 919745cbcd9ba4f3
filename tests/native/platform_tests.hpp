// Tests of what differs between platforms: run by native_tests.cpp.
#pragma once

#include <functional>
#include <string>

using Expect = std::function<void(bool, const std::string&)>;

void test_wide_math(const Expect& expect);
void test_processor(const Expect& expect);
