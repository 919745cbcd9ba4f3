/* The what-if form of the report. The user's data is only ever inserted as text, never as markup.
   Uses `scoring` of score.js. */

const MAX_LISTED = 40; // rules listed below the form; the others are one line

const model = JSON.parse(document.getElementById("model").textContent);
const starts = JSON.parse(document.getElementById("starts").textContent);
const inputs = model.features.map((_, i) => document.getElementById(`field-${i}`));
const byId = (id) => document.getElementById(id);

// --- numbers as text ---

function size(points) {
  return Number.isInteger(points) ? String(Math.abs(points)) : String(Number(Math.abs(points).toPrecision(6)));
}

function signed(points) {
  return points === 0 ? size(points) : (points < 0 ? "−" : "+") + size(points);
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

// --- reading the form ---

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/* The value of a field: {value} or {problem}. Empty is missing. */
function readField(i) {
  const text = inputs[i].value.trim();
  if (text === "") return { value: null };
  const number = NUMBER.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(number)) {
    return { problem: `${model.features[i].name} must be a number such as 54 or 1.5. Got ${text}` };
  }
  return { value: number };
}

function writeField(i, value) {
  inputs[i].value = value === null ? "" : String(value);
}

// --- showing the result ---

function element(name, text, className) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}

const multiclass = model.constants.length > 1;

/* A row of points, their class if there are more than two, and text. */
function ruleRow(points, bank, text, note, className, side) {
  const row = element("tr", undefined, className);
  const cell = element("td", text, "rule");
  if (note) cell.append(element("span", note, "note"));
  row.append(element("td", points, side === undefined ? "number" : `number for${side}`));
  if (multiclass) row.append(element("td", bank === null ? "" : model.classes[bank], "whom"));
  row.append(cell);
  return row;
}

/* The points of two classes in the rules with these indices, such as "5 (rules for yes) − 2 (rules against it)". */
function pointsByClass(indices) {
  const sum = (sign) => indices.reduce((total, i) => total + Math.max(0, sign * model.rules[i].points), 0);
  return `${size(sum(1))} (rules for ${model.classes[1]}) − ${size(sum(-1))} (rules against it)`;
}

function listRules(indices, describe) {
  const shown = indices.slice(0, MAX_LISTED);
  const rows = shown.map((i) => {
    const rule = model.rules[i];
    return ruleRow(signed(rule.points), rule.bank, rule.text, describe(i), "", Number(rule.points > 0));
  });
  if (indices.length > shown.length) {
    const rest = indices.slice(MAX_LISTED);
    const words = `and ${rest.length} more rules with fewer points`;
    rows.push(ruleRow("", null, words, multiclass ? "" : pointsByClass(rest)));
  }
  return rows;
}

function showRules(result) {
  const holding = [], notHolding = [];
  result.fires.forEach((fires, i) => (fires ? holding : notHolding).push(i));
  const constants = model.constants.map((constant, k) => ruleRow(
    signed(constant), k, "constant, always", "", "constant"));
  const rows = [...constants, ...listRules(holding, () => "")];
  if (!multiclass) {
    const sum = `${signed(model.constants[0])} (constant) + ${pointsByClass(holding)}`;
    rows.push(ruleRow(signed(result.votes[0]), null, "total", sum, "total"));
  }
  byId("holding").replaceChildren(...rows);
  byId("not-holding").replaceChildren(...listRules(notHolding, (i) => `not met: ${
    result.unmet[i].map((l) => model.columns[l < 0 ? -1 - l : l].texts[Number(l < 0)]).join("; ")}`));
  byId("n-holding").textContent = `${holding.length} of ${model.rules.length} rules hold`;
  byId("n-not-holding").textContent = `${notHolding.length} rules do not hold`;
}

function shareBar(share, side) {
  const space = "http://www.w3.org/2000/svg";
  const [svg, back, rect] = ["svg", "rect", "rect"].map((name) => document.createElementNS(space, name));
  const put = (node, values) => Object.entries(values).forEach(([name, value]) => node.setAttribute(name, value));
  put(svg, { class: "small", viewBox: "0 0 100 14", "aria-hidden": "true" });
  put(back, { class: "back", y: 2, width: 100, height: 10 });
  put(rect, { class: `c${side}`, y: 2, width: (100 * share).toFixed(2), height: 10 });
  svg.append(back, rect);
  return svg;
}

function showClasses(result) {
  byId("by-class").replaceChildren(...model.classes.map((name, k) => {
    const row = element("tr", undefined, k === result.decided ? "decided" : "");
    const head = element("th", name);
    head.scope = "row";
    row.append(head);
    if (multiclass) row.append(element("td", signed(result.votes[k]), "number"));
    const probability = element("td", percent(result.probabilities[k]), "number");
    if (result.interval) {
      const [low, high] = k === 1 ? result.interval : [1 - result.interval[1], 1 - result.interval[0]];
      probability.append(element("span", `${percent(low).replace(" %", "")} – ${percent(high)}`, "note"));
    }
    row.append(probability);
    const cell = element("td");
    cell.append(shareBar(result.probabilities[k], multiclass ? 1 : k));
    row.append(cell);
    return row;
  }));
}

function show(result, problem) {
  const answer = byId("answer");
  byId("calculation").hidden = problem !== null;
  answer.classList.toggle("refused", problem !== null);
  answer.dataset.result = JSON.stringify(problem === null ? result : { problem });
  if (problem !== null) {
    answer.textContent = `No score: ${problem}`;
    return;
  }
  const name = model.classes[result.decided];
  const total = result.votes[result.votes.length === 1 ? 0 : result.decided];
  const share = percent(result.probabilities[result.decided]);
  const unseen = result.unseen.length === 0
    ? "" : `. Not seen in training: ${result.unseen.join(", ")}. No rule that tests them holds.`;
  const override = result.override === null
    ? "" : `. An override decides, whatever the total: ${model.overrides[result.override].text}`;
  const text = `Decision: ${name}, with a total of ${signed(total)} and a probability of ${share}${unseen}${override}`;
  if (answer.textContent !== text) answer.textContent = text;
  showClasses(result);
  showRules(result);
}

function update() {
  const read = inputs.map((_, i) => readField(i));
  const row = read.map((item) => (item.problem === undefined ? item.value : null));
  const wrong = read.find((item) => item.problem !== undefined);
  const problem = wrong === undefined ? scoring.problem(model, row) : wrong.problem;
  read.forEach((item, i) => inputs[i].setAttribute("aria-invalid", String(item.problem !== undefined)));
  show(problem === null ? scoring.score(model, row) : null, problem);
}

function startFrom(index) {
  starts[index].values.forEach((value, i) => writeField(i, value));
  update();
}

// --- start ---

for (const type of ["input", "change"]) { // browsers send either for a choice from a list
  byId("what-if-form").addEventListener(type, (event) => {
    if (event.target.id === "start") startFrom(Number(event.target.value));
    else update();
  });
}
byId("what-if-form").addEventListener("submit", (event) => event.preventDefault());
startFrom(0);
window.clausalReport = { model, starts, scoring };
