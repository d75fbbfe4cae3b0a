import type { KubeClient } from '../kube/client/client.ts'
import type { SchemaSource } from './catalog.ts'

/** Reads the schemas that the API server publishes. Needs no permission beyond API discovery. */
export const schemaSource = (kube: Pick<KubeClient, 'request'>): SchemaSource => ({
  get: (address) => {
    const [path = '', query = ''] = address.split('?')
    return kube.request({ verb: 'get', path, query: Object.fromEntries(new URLSearchParams(query)) })
  },
})
