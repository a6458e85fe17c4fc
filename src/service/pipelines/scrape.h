// Scrape of pipelines: their figures in Prometheus' text (L14). Of at most kMostScraped pipelines, the first by name,
// so that a page does not grow with what users hand in.
#pragma once

#include <cstddef>

#include "service/metrics/text.h"
#include "service/pipelines/pipelines.h"

namespace sy::pipelines {

inline constexpr std::size_t kMostScraped = 100;

void scrape(metrics::Text& text, const Pipelines& pipelines);

}  // namespace sy::pipelines
