"""Principal component regressions by scikit-learn, which scikit-learn.json keeps: python3 scikit-learn.py > scikit-learn.json

Made with scikit-learn 1.9.1. Features are scaled to [-1, 1] by their extremes and rounded to 14 binary digits, as owners do; the last one is
predicted. alpha is not divided by the number of rows, nor is rho.
"""

import csv
import json
import pathlib

import numpy
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, Ridge

DATA = pathlib.Path(__file__).parents[4] / "data"


def rows_of(name):
    with open(DATA / f"{name}.csv") as file:
        cells = list(csv.reader(file))[1:]
    values = numpy.array([row[:-1] for row in cells], dtype=float)
    low, high = values.min(axis=0), values.max(axis=0)
    width = numpy.where(high > low, high - low, 1)
    scaled = numpy.where(high > low, (2 * values - low - high) / width, 0)
    return numpy.floor(scaled * 2**14 + 0.5) / 2**14


def fitted(rows, components, rho):
    x, y = rows[:, :-1], rows[:, -1]
    pca = PCA(n_components=components, svd_solver="full").fit(x)
    on_scores = LinearRegression() if rho == 0 else Ridge(alpha=rho, solver="cholesky")
    on_scores.fit(pca.transform(x), y)
    weights = pca.components_.T @ on_scores.coef_
    return weights, on_scores.intercept_ - weights @ pca.mean_


cases = []
for name in ["iris", "pima", "breast_cancer", "ionosphere"]:
    rows = rows_of(name)
    for components in [1, 3]:
        for rho in [0, 1, 50]:
            weights, intercept = fitted(rows, components, rho)
            cases.append(
                {"name": name, "components": components, "rho": rho}
                | {"weights": weights.tolist(), "intercept": float(intercept)}
            )
print(json.dumps(cases))
