import type { KubeClient } from '../kube/client.ts'
import type { SchemaSource } from './catalog.ts'

/** The schemas that the API server behind `kube` publishes; whoever may discover may read them. */
export const schemaSource = (kube: Pick<KubeClient, 'request'>): SchemaSource => ({
  get: (address) => {
    const [path = '', query = ''] = address.split('?')
    return kube.request({ verb: 'get', path, query: Object.fromEntries(new URLSearchParams(query)) })
  },
})
