/**
 * Lines of NumPy that reduce rows without Eigenveil: the same as in docs/library.md, which a test compares.
 */
export const NUMPY = `import csv, json
import numpy as np

links, rows = ["projection.json"], list(csv.DictReader(open("rows.csv")))

def project(projection, cells):
    regression = projection.get("regression")
    features, unit = projection["features"], 2.0 ** -projection["fractionBits"]
    low, high = (np.array([feature[end] for feature in features]) for end in ("min", "max"))
    given = slice(None, -1) if regression else slice(None)
    x, span = np.clip(cells, low[given], high[given]), high[given] - low[given]
    scaled = ((x - low[given]) - (high[given] - x)) / np.where(span > 0, span, 1)
    rounded = np.copysign(np.floor(np.abs(scaled) / unit + 0.5), scaled) * unit
    if regression:
        predicted = rounded @ regression["weights"] + regression["intercept"]
        return low[-1] + (predicted + 1) * (high[-1] - low[-1]) / 2
    return (rounded - projection.get("mean", 0)) @ np.transpose(projection["vectors"])

projections = [json.load(open(link)) for link in links]
names = [feature["name"] for feature in projections[0]["features"]]
if "regression" in projections[0]:
    names.pop()
reduced = np.array([[float(row[name]) for name in names] for row in rows])
for projection in projections:
    reduced = project(projection, reduced)
np.savetxt("reduced.csv", reduced, delimiter=",")
`;
