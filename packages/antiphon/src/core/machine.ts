/** A synchronous stage of a stream: values in, values out. `end()` says that the input closed. */
export interface Machine<In, Out> {
  push(input: In): Out[];
  end(): Out[];
}
