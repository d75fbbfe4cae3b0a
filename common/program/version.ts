import packageJson from '../../package.json' with { type: 'json' }

/** The version of this product, as `package.json` says it: a bundle contains it as it was then. */
export const VERSION: string = packageJson.version
