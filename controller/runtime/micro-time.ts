/** A time as a `MicroTime` of Kubernetes: with six digits after the point. The API server refuses three. */
export const microTime = (at: Date): string => at.toISOString().replace('Z', '000Z')
