// Small linear algebra for the heads.

/** An orthogonal matrix of random directions, as rows. */
export function randomRotation(noise, size) {
  const rows = [];
  while (rows.length < size) {
    const row = Float64Array.from(noise.vector(size, 1));
    for (const other of rows) addScaled(row, other, -dot(row, other));
    rows.push(row.map((value) => value / Math.hypot(...row)));
  }
  return rows;
}

/** A random direction of length 1. */
export function randomDirection(noise, size) {
  const vector = noise.vector(size, 1);
  return vector.map((value) => value / Math.hypot(...vector));
}

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function addScaled(a, b, factor) {
  for (let i = 0; i < a.length; i++) a[i] += factor * b[i];
}
