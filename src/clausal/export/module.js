/* What reads a case for `scoring` above: an object with one value per feature by name, null where missing. */

/* Whether a value is missing: null, undefined or NaN. */
function isMissing(value) {
  return value === null || value === undefined || Number.isNaN(value);
}

/* The value of a feature as `scoring` takes it: null, a number, or the index of a category, -1 if unknown. */
function read(feature, row) {
  if (!Object.hasOwn(row, feature.key)) {
    throw new Error(`the case must have a value of ${feature.name}, null if it is missing`);
  }
  const value = row[feature.key];
  if (isMissing(value)) return null;
  if (typeof feature.categories[0] === "string") {
    if (typeof value !== "string") throw new Error(`${feature.name} must be a text`);
    return feature.categories.indexOf(value);
  }
  const number = typeof value === "boolean" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) {
    throw new Error(`${feature.name} must be a finite number`);
  }
  if (feature.kind === "boolean" && number !== 0 && number !== 1) {
    throw new Error(`${feature.name} must be true or false`);
  }
  return feature.categories.length === 0 ? number : feature.categories.indexOf(number);
}

/* The class, votes, probabilities (in the order of `classes`), rules that hold, and the override that decides
   (null if none does); of a number, the number, votes and rules that hold; throws an Error for a case that the model refuses. */
export function score(row) {
  const values = model.features.map((feature) => read(feature, row));
  const problem = scoring.problem(model, values);
  if (problem !== null) throw new Error(problem);
  const { votes, fires, decided, probabilities, override } = scoring.score(model, values);
  const text = override === null ? null : model.overrides[override].text;
  if (model.number) return { number: decided, votes, fires };
  return { class: model.labels[decided], votes, probabilities, fires, override: text };
}

/* The class labels, none of a number; of two, the last is the one that points above 0 are for. */
export const classes = model.labels;

/* Scores known rows, among them the border of every condition; returns their number, throws for a wrong one. */
export function selfTest() {
  for (const [values, votes, decided, probabilities, fires] of rows) {
    let got = null;
    try {
      got = score(Object.fromEntries(model.features.map((feature, i) => [feature.key, values[i]])));
    } catch (error) {
      if (votes !== null) throw error;
    }
    const right = got === null ? votes === null : votes !== null
      && (model.number ? got.number === decided : got.class === model.labels[decided])
      && JSON.stringify([got.votes, got.fires]) === JSON.stringify([votes, fires])
      && (probabilities ?? []).every((share, k) => Math.abs(share - got.probabilities[k]) < 1e-12);
    if (!right) throw new Error(`a row is not scored as it should be: ${JSON.stringify(values)}`);
  }
  return rows.length;
}
