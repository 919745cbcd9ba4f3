"""Train on the embedded Heart Disease data, then print test accuracy, F1 and the rules (`make demo`)."""

from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split

from clausal import TsetlinClassifier
from clausal.datasets import load_heart_disease

data = load_heart_disease(as_frame=True)
labels = data.target.map(dict(enumerate(data.target_names)))
X_train, X_test, y_train, y_test = train_test_split(
    data.data, labels, test_size=0.2, random_state=1, stratify=labels
)

clf = TsetlinClassifier(n_clauses=20, max_clause_literals=2, random_state=1, verbose=1)
clf.fit(X_train, y_train)

predicted = clf.predict(X_test)
positive = data.target_names[1]
print(f"Heart Disease: {len(X_train)} patients to learn from, {len(X_test)} to test on")
print(f"test accuracy  {accuracy_score(y_test, predicted):.3f}")
print(f"test F1        {f1_score(y_test, predicted, pos_label=positive):.3f}  ({positive})")
rules = clf.rules_
print(f"\n{len(rules)} rules, {rules.n_literals} literals; the side with more points wins:\n")
print(rules)
