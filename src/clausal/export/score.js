"use strict";
/* Scores one row like predict, votes and predict_proba in Python. It does not use the page.

   A row has one value per feature of the model: null where missing, a number for a numeric feature, else the
   index of a category among all (-1 for one not seen in training; 0 and 1 are false and true). */

const scoring = {
  /* Why Python would raise an error for the row, in one sentence; null if it would not. */
  problem(model, row) {
    for (const [i, feature] of model.features.entries()) {
      if (fate(feature, row[i]) !== "refused") continue;
      return row[i] === null
        ? `${feature.name} must not be missing, because it was never missing in training.`
        : `${feature.name} must be one of the categories seen in training.`;
    }
    return null;
  },

  /* Whether a feature has a value that satisfies no condition, negated ones included. */
  unseen(model, row, i) {
    return fate(model.features[i], row[i]) === "no_rule";
  },

  /* The columns of the model: true, false, or null if neither the column nor its negation holds. */
  columns(model, row) {
    const fates = model.features.map((feature, i) => fate(feature, row[i]));
    return model.columns.map((column) => {
      const value = row[column.feature], known = fates[column.feature];
      if (known === "no_rule") return null;
      if (column.kind === "missing") return known === "missing";
      if (known !== "known") return false;
      if (column.kind === "true") return value === 1;
      if (column.kind === "equal") return value === column.value;
      if (column.kind === "le") return value <= column.value && !model.features[column.feature].special.includes(value);
      return column.first <= value && value <= column.value; // is, upto
    });
  },

  /* Votes by bank, the rules that hold, and for each rule the literals that do not hold. */
  score(model, row) {
    const bits = this.columns(model, row);
    const votes = model.constants.slice();
    const unmet = model.rules.map((rule) => rule.literals.filter((l) => (l < 0 ? bits[-1 - l] !== false : !bits[l])));
    const fires = unmet.map((literals) => literals.length === 0);
    const override = model.overrides.findIndex(
      (entry) => entry.literals.every((l) => (l < 0 ? bits[-1 - l] === false : bits[l])));
    model.rules.forEach((rule, i) => { if (fires[i]) votes[rule.bank] += rule.points; });
    const unseen = model.features.filter((_, i) => this.unseen(model, row, i)).map((feature) => feature.name);
    return {
      votes, fires, unmet, unseen, override: override < 0 ? null : override,
      decided: model.number ? number(model.number, votes[0])
        : override < 0 ? decide(model, votes) : model.overrides[override].class,
      probabilities: probabilities(model, votes), interval: riskInterval(model, votes),
    };
  },
};

function isCategory(feature) {
  return feature.kind === "nominal" || feature.kind === "ranked";
}

/* What becomes of a value: "known", or the model's words for values that are missing or unknown. */
function fate(feature, value) {
  if (value === null) return feature.if_missing;
  return isCategory(feature) && value === -1 ? feature.if_unknown : "known";
}

/* The index of the class by the votes: that of the first case of the decision list whose tests all hold. */
function decide(model, votes) {
  const holds = (test) => {
    const other = test.other === null ? test.cut_off : votes[test.other];
    return test.below ? votes[test.bank] < other : votes[test.bank] >= other;
  };
  return model.decision.find((entry) => entry.tests.every(holds)).class;
}

/* The number for a vote. */
function number(method, vote) {
  const exact = method.offset + method.unit * vote, low = method.low ?? -Infinity, high = method.high ?? Infinity;
  return Math.min(Math.max(exact, low), high);
}

/* One for each class; null for rules without a classifier. */
function probabilities(model, votes) {
  const method = model.probability;
  if (!method) return null;
  if (votes.length === 1) {
    const positive = method.kind === "machine"
      ? Math.min(1, Math.max(0, (1 + (votes[0] * method.scale + 0.5) / (method.threshold + 0.5)) / 2))
      : 1 / (1 + Math.exp(-(method.slope * votes[0] + method.offset)));
    return [1 - positive, positive];
  }
  const shares = method.kind === "machine" ? machineShares(votes, method) : exponentialShares(votes, method);
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

function machineShares(votes, method) {
  const threshold = method.threshold / method.scale;
  return votes.map((vote) => {
    const q = (1 + vote / (Math.max(Math.abs(vote), threshold) + 1)) / 2;
    return q / (q + (votes.length - 1) * (1 - q));
  });
}

function exponentialShares(votes, method) {
  const highest = Math.max(...votes.map((vote) => method.slope * vote));
  return votes.map((vote) => Math.exp(method.slope * vote - highest));
}

/* The ends of the 95 % interval of the positive class's probability; null if it is not known. */
function riskInterval(model, votes) {
  const errors = model.risk_errors;
  if (!errors) return null;
  const score = votes[0], logOdds = model.probability.slope * score + model.probability.offset;
  const calibration = errors.slope_variance * score * score + 2 * errors.covariance * score + errors.offset_variance;
  const reach = errors.quantile * Math.sqrt(Math.max(calibration, interpolate(score, errors.scores, errors.spread)));
  const [low, high] = [logOdds - reach, logOdds + reach].map((x) => 1 / (1 + Math.exp(-x)));
  return logOdds < 0 ? [low, Math.max(high, errors.least_high)] : [Math.min(low, errors.most_low), high];
}

/* The value at x of the line through points with ascending xs; constant beyond them. */
function interpolate(x, xs, ys) {
  const after = xs.findIndex((other) => other >= x);
  if (after < 0) return ys[ys.length - 1];
  if (after === 0) return ys[0];
  const share = (x - xs[after - 1]) / (xs[after] - xs[after - 1]);
  return ys[after - 1] + share * (ys[after] - ys[after - 1]);
}
