#pragma once

// Marks what libweft.so exports; everything else stays hidden.
#define WEFT_API __attribute__((visibility("default")))
