"use strict";
/* Scores one row as Python's predict, votes and predict_proba do; no page is touched here.

   A row has one value per field of the model: null where missing, a number for a numeric field, else the
   place of a category among all (-1 for one not seen in training; 0 and 1 are false and true). */

const scoring = {
  /* Why Python would refuse the row, in one sentence; null where it would not. */
  problem(model, row) {
    for (const [i, field] of model.fields.entries()) {
      const unknown = isCategory(field) && row[i] === -1;
      if (unknown && model.handle_unknown === "error") {
        return `${field.name} must be one of the categories seen in training.`;
      }
      const missing = row[i] === null || (unknown && model.handle_unknown === "missing");
      if (missing && !field.nullable && model.handle_missing === "error") {
        return `${field.name} must not be missing, as it never was in training.`;
      }
    }
    return null;
  },

  /* Which literals of the model's columns are true: an array of booleans. */
  columns(model, row) {
    return model.columns.map((column) => {
      const value = row[column.field];
      const unknown = isCategory(model.fields[column.field]) && value === -1;
      switch (column.kind) {
        case "missing": return value === null || (unknown && model.handle_unknown === "missing");
        case "true": return value === 1;
        case "is": return value === column.value;
        default: return value !== null && !unknown && value <= column.value; // le, upto
      }
    });
  },

  /* Votes by bank, the rules that hold, and for each rule the literals that do not hold. */
  score(model, row) {
    const bits = this.columns(model, row);
    const votes = model.constants.slice();
    const unmet = model.rules.map((rule) => rule.literals.filter((l) => (l < 0 ? bits[-1 - l] : !bits[l])));
    const fires = unmet.map((literals) => literals.length === 0);
    model.rules.forEach((rule, i) => { if (fires[i]) votes[rule.bank] += rule.points; });
    return { votes, fires, unmet, decided: decide(votes), probabilities: probabilities(model, votes) };
  },
};

function isCategory(field) {
  return field.kind === "nominal" || field.kind === "ranked";
}

/* The class's place: the second of two from 0 up; of more the highest vote, the first on a tie. */
function decide(votes) {
  return votes.length === 1 ? Number(votes[0] >= 0) : votes.indexOf(Math.max(...votes));
}

function probabilities(model, votes) {
  const how = model.probability;
  if (votes.length === 1) {
    const positive = how.kind === "machine"
      ? Math.min(1, Math.max(0, (1 + (votes[0] * how.scale + 0.5) / (how.threshold + 0.5)) / 2))
      : 1 / (1 + Math.exp(-(how.slope * votes[0] + how.offset)));
    return [1 - positive, positive];
  }
  const shares = how.kind === "machine" ? machineShares(votes, how) : exponentialShares(votes, how);
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

function machineShares(votes, how) {
  const threshold = how.threshold / how.scale;
  return votes.map((vote) => {
    const q = (1 + vote / (Math.max(Math.abs(vote), threshold) + 1)) / 2;
    return q / (q + (votes.length - 1) * (1 - q));
  });
}

function exponentialShares(votes, how) {
  const most = Math.max(...votes.map((vote) => how.slope * vote));
  return votes.map((vote) => Math.exp(how.slope * vote - most));
}
