// Regions of ops: what a match asks of their inside, and regions of ops that are built.
//
// In:  `body = (a, rest...) => add(a, x)` in a match, `body = (a -> x.type) => relu(a)` in a build.
// Out: RegionMatches of a Match, RegionBuilds of a Build.
// Elsewhere: which values may stand where is values_in_regions.h.
//
//   ok &= checkRegionBuilds(b, e, ops, true, out.regions);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// All regions that a match mentions.
void matchRegions(BodyContext &b, const ast::OpMatch &m, Match &out);
/// All regions that a call gives; of a new op one for each that it declares. False after a report.
bool checkRegionBuilds(BodyContext &b, const ast::CallExpr &e, const OpSet &ops, bool opIsNew,
                       std::vector<RegionBuild> &out);
/// Whether what stands behind `name =` is asked of a region.
bool isRegion(const BodyContext &b, const ast::MatchArg &arg, const OpSet &ops);
/// Whether one of the ops has a region of the name, and no attribute.
bool isRegionName(const BodyContext &b, const OpSet &ops, std::string_view name);

/// The region that an argument of a call is; null if it is none.
inline const ast::RegionExpr *regionOf(const ast::CallArg &arg) {
  return arg.value ? arg.value->as<ast::RegionExpr>() : nullptr;
}

} // namespace rw::sema
