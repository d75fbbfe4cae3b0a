/** The environment of a program of Node that runs `source`, a module of JavaScript, before its own first line. */
export const preloaded = (source: string): { readonly NODE_OPTIONS: string } => ({
  NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(source).toString('base64')}`,
})
