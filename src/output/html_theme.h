// The inks and papers of every page, by day and by night.
#pragma once

namespace sy::output {

inline constexpr const char* kTheme =
    R"css(:root { --ink: #1c1f23; --paper: #fff; --lane: #f4f5f7; --line: #dfe2e6; --soft: #666d77; --tip: #fff;
        --hatch: #d6d9de; --hatch-line: #838a94; color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --paper: #16181b; --lane: #1e2125; --line: #32373e; --soft: #9aa1ab; --tip: #262a30;
          --hatch: #3c4149; --hatch-line: #878f9a; }
}
)css";

}  // namespace sy::output
