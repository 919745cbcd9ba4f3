"""Train a scorecard on the Heart Disease data; print it, its scores and an explanation."""

from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split

from clausal import RuleClassifier, TsetlinClassifier
from clausal.datasets import load_heart_disease

data = load_heart_disease(as_frame=True)
labels = data.target.map(dict(enumerate(data.target_names)))
X_train, X_test, y_train, y_test = train_test_split(
    data.data, labels, test_size=0.2, random_state=1, stratify=labels
)
positive = data.target_names[1]
print(f"Heart Disease: {len(X_train)} patients for training, {len(X_test)} for testing\n", flush=True)

machine = TsetlinClassifier(random_state=1, verbose=1).fit(X_train, y_train)
scorecard = RuleClassifier(max_literals=12, random_state=1, verbose=1).fit(X_train, y_train)

for name, model in {"machine": machine, "scorecard": scorecard}.items():
    predicted = model.predict(X_test)
    accuracy, f1 = accuracy_score(y_test, predicted), f1_score(y_test, predicted, pos_label=positive)
    print(f"{name:<14} accuracy {accuracy:.3f}  F1 {f1:.3f}  {model.rules_.n_literals:>4} literals")

print(f"\nThe scorecard\n{scorecard.rules_}\n\n{positive} by score\n{scorecard.risk_table_}")
print(f"\nExplanation for one patient\n{scorecard.explain(X_test[:1])[0]}")
