/** The environment of a program of Node that runs `script`, a module of JavaScript, before its own. */
export const preloaded = (script: string): { readonly NODE_OPTIONS: string } => ({
  NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(script).toString('base64')}`,
})
