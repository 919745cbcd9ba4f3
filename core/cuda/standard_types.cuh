// The types of <cstddef> and <cstdint>, which the run-time compiler does not come with.
#pragma once

namespace std {
using int8_t = signed char;
using int32_t = int;
using int64_t = long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using size_t = decltype(sizeof(0));
}  // namespace std
