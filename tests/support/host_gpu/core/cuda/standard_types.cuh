// Twin of core/cuda/standard_types.cuh for a compiler that has the C++ library.
#pragma once

#include <cstddef>
#include <cstdint>
