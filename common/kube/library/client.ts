import { type ClientOptions, clientWith, type KubeClient } from '../client/client.ts'
import { LibraryCredentials, type LibraryCredentialsOptions } from './credentials.ts'

export interface KubeClientOptions extends ClientOptions, LibraryCredentialsOptions {}

/**
 * A client that reads a kubeconfig, or the service account of this pod, by the library.
 * @throws Error if the kubeconfig cannot be read, or if there is none and this is no pod
 */
export const kubeClient = (options: KubeClientOptions): KubeClient =>
  clientWith(new LibraryCredentials(options), options)
