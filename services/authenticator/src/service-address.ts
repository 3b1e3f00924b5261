/** How clients are told where the service is. */

/** Its address, https, and which certificates to trust instead of the system's (PEM). */
export interface ServiceAddress {
  readonly url: string;
  readonly ca?: string | undefined;
}
