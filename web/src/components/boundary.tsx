// What is shown instead of a page that cannot be drawn: the frame stays, and so does the way to other pages.
import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import { Component, type ReactNode } from "react";

interface Props {
  /** The page; another page is another try. */
  page: string;
  children: ReactNode;
}

interface State {
  message: string | undefined;
}

/** What browsers say of a module that they could not get. */
const isNotFetched = (message: string) => /dynamically imported module|module script failed/i.test(message);

export class Boundary extends Component<Props, State> {
  override state: State = { message: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.message !== undefined && before.page !== this.props.page) this.setState({ message: undefined });
  }

  override render(): ReactNode {
    if (this.state.message === undefined) return this.props.children;
    return (
      <Alert
        type="error"
        header="This page cannot be shown"
        action={<Button onClick={() => window.location.reload()}>Load it again</Button>}
      >
        {isNotFetched(this.state.message)
          ? "Its program could not be fetched: the server does not answer, or it has another release now."
          : `The console failed over an answer that it does not understand (${this.state.message}).`}{" "}
        What was asked for goes on; the other pages work.
      </Alert>
    );
  }
}
