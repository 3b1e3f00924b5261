/** How rows are reduced without Eigenveil: the lines of NumPy that docs/library.md has, which a test compares. */
export const NUMPY = `import csv, json
import numpy as np

projection, rows = json.load(open("projection.json")), list(csv.DictReader(open("rows.csv")))
features, unit = projection["features"], 2.0 ** -projection["fractionBits"]
low, high = (np.array([feature[end] for feature in features]) for end in ("min", "max"))
x = np.clip([[float(row[feature["name"]]) for feature in features] for row in rows], low, high)
scaled = ((x - low) - (high - x)) / np.where(high > low, high - low, 1)
rounded = np.copysign(np.floor(np.abs(scaled) / unit + 0.5), scaled) * unit
reduced = (rounded - projection.get("mean", 0)) @ np.transpose(projection["vectors"])
np.savetxt("reduced.csv", reduced, delimiter=",")
`;
