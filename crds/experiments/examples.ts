/** The examples in the descriptions of fields, which `kubectl explain` prints. A dry run accepts each. */
export const EXAMPLES = {
  overrideSpec: '{template: {spec: {containers: [{name: cart, image: "registry.example/cart:2"}]}}}',
  steps: '[{setWeight: 10}, {pause: {duration: 1h}}, {setWeight: 50}, {pause: {}}]',
  blueGreen: '{activeService: cart, previewService: cart-preview}',
  analysis: '{metrics: [{name: latency, kind: Latency, provider: prometheus, prometheus: {histogram: http_seconds}}]}',
} as const

/** How a description ends. The example is in one line of YAML, because the lines of a description are wrapped. */
export const exampleOf = (example: string): string => `Example: ${example}`
