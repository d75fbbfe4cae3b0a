/** A number of things in words: `0 pods`, `1 pod`, `2 pods`. */
export const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`
